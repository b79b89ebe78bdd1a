"""What an Airflow of several workers stands on: PostgreSQL, and Redis or RabbitMQ as Celery's broker, from Debian's packages."""
