namespace Pipeline.Server.Hosting;

/// <summary>A request to delete a database was refused, because it is locked.</summary>
internal sealed class DatabaseLockedException(string name, string mode)
    : Exception(
        $"Database '{name}' cannot be deleted because of its lock mode ('{mode}'): unlock it first (POST /admin/databases/set-lock)."
    );
