namespace Pipeline.Server.Hosting;

/// <summary>The database was disabled on request.</summary>
internal sealed class DatabaseDisabledException(string name)
    : Exception($"The database '{name}' is disabled: enable it (POST /admin/databases/enable).");
