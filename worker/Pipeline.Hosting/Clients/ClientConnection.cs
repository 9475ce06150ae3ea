using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Configuration;

namespace Pipeline.Hosting.Clients;

/// <summary>A server's address and a database there, read from a connection string.</summary>
internal sealed class ClientConnection
{
    private const string Databases = "/databases/";

    /// <summary>The server.</summary>
    public string Url { get; private set; } = "";

    /// <summary>The database's name.</summary>
    public string Database { get; private set; } = "";

    /// <summary>Reads <c>ConnectionStrings:NAME</c>.</summary>
    /// <exception cref="InvalidOperationException">
    /// It is missing or malformed. The message does not quote it, because it may contain a secret.
    /// </exception>
    public void Read(IConfiguration configuration, string name)
    {
        var key = $"ConnectionStrings:{name}";
        if (configuration.GetConnectionString(name) is not { } text || string.IsNullOrWhiteSpace(text))
        {
            throw new InvalidOperationException(
                $"{key} is missing in the host's configuration; set it to an address, for example http://127.0.0.1:8080/databases/{name}"
            );
        }

        if (!TryParse(text.Trim(), name, out var problem))
        {
            throw new InvalidOperationException(
                $"{key} {problem}; write http://host:8080/databases/{name} or Url=http://host:8080;Database={name}"
            );
        }
    }

    private bool TryParse(string text, string name, [NotNullWhen(false)] out string? problem)
    {
        var database = (string?)null;
        var address = text;
        if (
            !text.StartsWith("http://", StringComparison.OrdinalIgnoreCase)
            && !text.StartsWith("https://", StringComparison.OrdinalIgnoreCase)
        )
        {
            if (!TrySplit(text, out address, out database, out problem))
                return false;
        }
        if (!Uri.TryCreate(address, UriKind.Absolute, out var url) || url.Scheme is not ("http" or "https"))
        {
            problem = "contains no http or https address";
            return false;
        }
        if (url.UserInfo.Length > 0 || url.Query.Length > 0 || url.Fragment.Length > 0)
        {
            problem =
                "has a user, a query or a fragment in its address; set headers and certificates on the HTTP client that AddPipelineClient returns";
            return false;
        }
        var path = url.AbsolutePath.TrimEnd('/');
        var at = path.LastIndexOf(Databases, StringComparison.OrdinalIgnoreCase);
        if (at >= 0)
        {
            var named = Uri.UnescapeDataString(path[(at + Databases.Length)..]);
            if (
                named.Contains('/', StringComparison.Ordinal)
                || (database is not null && !named.Equals(database, StringComparison.OrdinalIgnoreCase))
            )
            {
                problem = "names more than one database";
                return false;
            }
            (database, path) = (named, path[..at]);
        }
        (Url, Database, problem) = (url.GetLeftPart(UriPartial.Authority) + path, database ?? name, null);
        return true;
    }

    private static bool TrySplit(
        string text,
        out string address,
        out string? database,
        [NotNullWhen(false)] out string? problem
    )
    {
        (address, database, problem) = ("", null, null);
        DbConnectionStringBuilder parts;
        try
        {
            parts = new DbConnectionStringBuilder { ConnectionString = text };
        }
        catch (ArgumentException)
        {
            problem = "is neither an address nor a list of key=value parts";
            return false;
        }
        foreach (string part in parts.Keys)
        {
            var value = (string)parts[part];
            switch (part.ToUpperInvariant())
            {
                case "URL" or "ENDPOINT":
                    address = value;
                    break;
                case "DATABASE":
                    database = value.Length > 0 ? value : null;
                    break;
                default:
                    problem = $"has the unknown part '{part}'; it may have Url and Database";
                    return false;
            }
        }
        return true;
    }
}
