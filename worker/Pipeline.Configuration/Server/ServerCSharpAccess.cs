using System.Text.Json.Serialization;

namespace Pipeline.Configuration;

/// <summary>Who may send C# to the server.</summary>
public enum ServerCSharpAccess
{
    /// <summary>Clients that may do everything.</summary>
    [JsonStringEnumMemberName("admin")]
    Admin,

    /// <summary>The admins of each database, too.</summary>
    [JsonStringEnumMemberName("databaseAdmin")]
    DatabaseAdmin,
}
