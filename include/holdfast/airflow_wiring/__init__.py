"""What the DAGs call: Airflow's variables and connections → adapters → workflows.

Light to import (a DAG file is parsed every half minute): everything heavy is imported inside the functions. What goes through XCom
is an ID or a path, never a document and never a secret; and no task believes it (`runs`).

| Airflow object                        | what for                                                                              |
|---------------------------------------|---------------------------------------------------------------------------------------|
| variable `holdfast_lake`              | the lake: a folder or a URL that fsspec and Spark both reach                          |
| variable `holdfast_clusters`          | JSON list of the clusters that `collect_groups` reads                                 |
| variable `…_keep_snapshot_days`       | how long raw snapshots are kept (not set: always)                                     |
| variable `holdfast_keep_days`         | how long the days of tables are kept (400)                                            |
| variable `holdfast_fleet_policy`      | JSON: the values from which an alert is raised (docs/fleet.md)                        |
| variable `holdfast_notifiers`         | JSON list of `{"notifier": …, "with": {…}}`: Airflow's own notifiers              |
| variable `holdfast_review_notifiers`  | the same, for a plan that waits for a person                                          |
| variable `holdfast_policy`            | the policy of the team: what a form says may only be stricter                         |
| variable `holdfast_approvers`         | JSON list of the IDs of the users who may approve; empty: all who may trigger         |
| variable `holdfast_teams`             | whose the groups are, and who sees and decides what (docs/teams.md)                   |
| connection `holdfast_kafka_<cluster>` | type holdfast_kafka (or generic): Kafka's own property names, and `groups`            |
| connection `holdfast_lake`            | type aws: keys and endpoint of a lake on S3 (not set: as the worker has them)         |
| connection `spark_default`            | type spark; its host is the master, such as `local[*]`                                |
| pools `holdfast_kafka`, `…_spark`     | made by the plugin (`airflow_provider/plugin.py`) when the scheduler starts           |
"""
