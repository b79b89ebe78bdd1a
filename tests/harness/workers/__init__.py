"""What an Airflow of several workers needs: PostgreSQL, and Redis or RabbitMQ as Celery's broker, from Debian's packages."""
