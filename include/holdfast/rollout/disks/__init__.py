"""What the disks of clients hold, and what changelogs hold that they restore from: for both kinds of Streams group."""
