using System.Globalization;
using Pipeline.Server.Errors;

namespace Pipeline.Server.Databases;

/// <summary>Checks database names, which become folder names.</summary>
internal static class DatabaseName
{
    private const int MaxLength = 128;

    /// <summary>What no folder of Windows can be called, alone or before a dot.</summary>
    private static readonly HashSet<string> Devices = new(
        [
            "con",
            "prn",
            "aux",
            "nul",
            .. Enumerable.Range(0, 10).Select(n => string.Create(CultureInfo.InvariantCulture, $"com{n}")),
            .. Enumerable.Range(0, 10).Select(n => string.Create(CultureInfo.InvariantCulture, $"lpt{n}")),
        ],
        StringComparer.OrdinalIgnoreCase
    );

    /// <summary>Checks a name.</summary>
    /// <exception cref="InvalidDatabaseNameException">The name is invalid.</exception>
    public static void Check(string? name)
    {
        if (string.IsNullOrEmpty(name))
            throw new InvalidDatabaseNameException("", "it is empty");
        if (name.Length > MaxLength)
        {
            throw new InvalidDatabaseNameException(
                name[..32] + "…",
                $"it has {name.Length} characters; {MaxLength} are allowed"
            );
        }

        foreach (var c in name)
        {
            if (!char.IsAsciiLetterOrDigit(c) && c is not ('_' or '-' or '.'))
            {
                throw new InvalidDatabaseNameException(
                    name,
                    $"'{c}' is not allowed; letters a to z, digits, '_', '-' and '.' are"
                );
            }
        }
        if (name[0] == '.' || name[^1] == '.')
            throw new InvalidDatabaseNameException(name, "it may not begin or end with '.'");
        var stem = name.Split('.')[0];
        if (Devices.Contains(stem))
        {
            throw new InvalidDatabaseNameException(
                name,
                $"'{stem}' is the name of a device of Windows, where the database could not be restored; choose another"
            );
        }
    }
}
