using Pipeline.Etl.Connectors;

namespace Pipeline.Etl.Configuration;

/// <summary>The block <c>server.scripts</c>.</summary>
public sealed class ServerScriptsConfiguration
{
    /// <summary>Who may define indexes in C#.</summary>
    [Setting("Who may define indexes in C# over HTTP: clients with admin: true (admin), or also the admins of each database (databaseAdmin). Compiled C# runs as the server itself. No list of allowed members is a sandbox: an admin of one database could read every other one and run programs on the machine.")]
    public ServerCSharpAccess Csharp { get; init; }
}
