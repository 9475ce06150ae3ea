namespace Pipeline.Server.Hosting;

/// <summary>Checks database names, which become folder names.</summary>
internal static class DatabaseName
{
    private const int MaxLength = 128;

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
    }
}
