using Pipeline.Etl.Connectors;
using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>The block <c>server.scripts</c>.</summary>
public sealed class ServerScriptsConfiguration
{
    /// <summary>Who may define indexes in C#.</summary>
    [Setting(
        "Rights needed to define indexes in C# over HTTP. admin: a client with admin: true. databaseAdmin: also an admin of the database. Compiled C# runs with the server's rights, and a list of allowed members is no sandbox. An admin of one database could read every other database and run programs on the machine."
    )]
    public ServerCSharpAccess Csharp { get; init; }
}
