"""The user interface without its pages: Streamlit controls, pictures and charts."""
