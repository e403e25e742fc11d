"""Functions that turn arrays and labels into charts, without PyTorch or Streamlit."""
