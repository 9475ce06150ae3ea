namespace Pipeline.Server.Hosting;

/// <summary>A database was to be deleted that is locked against it.</summary>
internal sealed class DatabaseLockedException(string name, string mode) : Exception($"Database '{name}' cannot be deleted because of the set lock mode ('{mode}'): unlock it first (POST /admin/databases/set-lock).");
