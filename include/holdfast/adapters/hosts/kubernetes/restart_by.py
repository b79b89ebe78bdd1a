"""How the pods of a StatefulSet are restarted."""

from enum import StrEnum


class RestartBy(StrEnum):
    """A pod is deleted, or its template gets another time (`kubectl.kubernetes.io/restartedAt`)."""

    DELETE = "delete"
    ANNOTATION = "annotation"
