# The app in a container, alone or as one of several replicas: docs/deployment.md.
FROM python:3.13.12-slim-trixie AS build

WORKDIR /build
# PyTorch's CPU build first: the default build brings gigabytes of CUDA libraries. Its index has only
# some versions of the libraries that PyTorch requires, so they are installed with everything else.
COPY requirements.txt constraints.txt ./
RUN python -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --no-deps \
        --index-url https://download.pytorch.org/whl/cpu "$(grep '^torch==' requirements.txt)" \
    && /venv/bin/pip install --no-cache-dir -r requirements.txt -c constraints.txt

FROM python:3.13.12-slim-trixie
RUN useradd --create-home --uid 10001 explorer
COPY --from=build /venv /venv
WORKDIR /app
COPY .streamlit .streamlit
COPY checkpoints checkpoints
COPY model model
COPY ui ui
COPY web web
COPY pages pages
COPY deploy/__init__.py deploy/health.py deploy/
COPY app.py ./

# The app listens on all interfaces of the container but answers only requests for allowed hosts:
# STREAMLIT_SERVER_ALLOWED_HOSTS="localhost maps.school.example".
ENV PATH=/venv/bin:$PATH \
    OMP_NUM_THREADS=1 \
    STREAMLIT_SERVER_ADDRESS=0.0.0.0 \
    STREAMLIT_SERVER_HEADLESS=true \
    STREAMLIT_SERVER_PORT=8501
USER 10001
EXPOSE 8501
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-m", "deploy.health"]
CMD ["streamlit", "run", "app.py"]
