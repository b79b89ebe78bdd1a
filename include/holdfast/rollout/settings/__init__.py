"""The doctor of settings: what the settings of an application, its clients, its group and its topics cost the group."""
