"""Deployment for a school: several replicas of the app behind nginx.

Start with ``nginx.conf``; ``python -m deploy.serve`` runs it on one machine, using
``supervisord.conf``.
"""
