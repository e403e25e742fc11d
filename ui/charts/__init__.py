"""Pure builders: arrays and labels in, figure out. No torch, no streamlit."""
