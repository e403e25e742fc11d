"""Everything that is Streamlit or a chart, and not a page."""
