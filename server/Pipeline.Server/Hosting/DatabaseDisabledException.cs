namespace Pipeline.Server.Hosting;

/// <summary>Somebody has disabled the database.</summary>
internal sealed class DatabaseDisabledException(string name) : Exception($"The database '{name}' is disabled: enable it (POST /admin/databases/enable).");
