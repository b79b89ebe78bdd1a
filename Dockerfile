# Astronomer's runtime for Airflow 3.3. Its last number is Astronomer's own; which of them carries Airflow 3.3.2 is checked below.
FROM astrocrpublic.azurecr.io/runtime:3.3-8-python-3.11

# The image's PYTHONPATH is the project; the package stands in include/.
ENV PYTHONPATH=/usr/local/airflow:/usr/local/airflow/include

# Built and tested against this Airflow; the plugin and the approval task rely on it. Another runtime fails here, not in production.
RUN airflow version | grep -q '^3\.3\.2'

# Spark's provider brings pyspark-client, which owns the same files as pyspark: the last one written wins. So pyspark is written last.
RUN pip install --no-cache-dir --no-deps --force-reinstall pyspark==4.3.0
