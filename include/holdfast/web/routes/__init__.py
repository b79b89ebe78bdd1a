"""The routes of forms: what a request asks for, who may, and the answer. `app.py` has all others."""
