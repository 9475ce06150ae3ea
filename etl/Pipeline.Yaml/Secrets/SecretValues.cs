using System.Collections.Concurrent;

namespace Pipeline.Yaml.Secrets;

/// <summary>
/// The values that must never be printed, and their removal from texts. Thread-safe; grows when secrets rotate.
/// </summary>
internal sealed class SecretValues
{
    /// <summary>Shorter values are parts of ordinary words; they are not looked for.</summary>
    public const int MinLength = 4;

    /// <summary>The text that replaces a secret.</summary>
    public const string Mask = "***";

    private static readonly string[] SensitiveWords =
    [
        "password",
        "secret",
        "key",
        "token",
        "signature",
        "credential",
        "jaas",
    ];
    private readonly Lock _lock = new();

    // The longest first: a secret within another must not leave the rest of it.
    private volatile string[] _values = [];

    private readonly ConcurrentDictionary<string, bool> _bearers = new(StringComparer.Ordinal);

    /// <summary>No secrets. Nothing may be added.</summary>
    public static SecretValues None { get; } = new();

    public bool IsEmpty => _values.Length == 0;

    /// <summary>Whether a key's name suggests that its value is a secret.</summary>
    public static bool IsSensitive(string key) =>
        SensitiveWords.Any(w => key.Contains(w, StringComparison.OrdinalIgnoreCase));

    /// <summary>
    /// Adds a value, and the secrets within it: the password of an address, the keys of a connection string.
    /// </summary>
    public void Add(string value)
    {
        var found = new List<string> { value, value.Trim() };
        if (
            Uri.TryCreate(value, UriKind.Absolute, out var uri)
            && uri.UserInfo.IndexOf(':', StringComparison.Ordinal) is >= 0 and var colon
        )
        {
            var password = uri.UserInfo[(colon + 1)..];
            found.AddRange([password, Uri.UnescapeDataString(password)]);
        }

        foreach (
            var part in value.Split(
                [';', '&', '?', '\n', ' '],
                StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries
            )
        )
        {
            var equals = part.IndexOf('=', StringComparison.Ordinal);
            if (equals <= 0 || !(IsSensitive(part[..equals]) || part.AsSpan(0, equals) is "sig"))
                continue;
            var secret = part[(equals + 1)..].Trim('"', '\'');
            found.AddRange([secret, Uri.UnescapeDataString(secret)]);
        }

        lock (_lock)
        {
            _values =
            [
                .. _values
                    .Concat(found.Where(v => v.Length >= MinLength))
                    .Distinct(StringComparer.Ordinal)
                    .OrderByDescending(v => v.Length)
                    .ThenBy(v => v, StringComparer.Ordinal),
            ];
        }
    }

    /// <summary>The text with every secret masked. Returns the same instance if it contains no secret.</summary>
    public string Redact(string text)
    {
        foreach (var value in _values)
            text = text.Replace(value, Mask, StringComparison.Ordinal);
        return text;
    }

    /// <summary>Adds the whole value of a setting that contains a secret. <see cref="Hide"/> then masks it even if the
    /// secret is too short to search for.</summary>
    public void AddBearer(string value)
    {
        if (value.Length > 0)
            _bearers[value] = true;
    }

    /// <summary>
    /// The value of a setting with every secret masked. A value with a secret that is too short to search for is masked
    /// as a whole.
    /// </summary>
    public string Hide(string value)
    {
        var masked = Redact(value);
        return masked == value && _bearers.ContainsKey(value) ? Mask : masked;
    }

    /// <summary>Whether a secret is in the text.</summary>
    public bool AreIn(string text)
    {
        foreach (var value in _values)
        {
            if (text.Contains(value, StringComparison.Ordinal))
                return true;
        }

        return false;
    }
}
