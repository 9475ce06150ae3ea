using System.Collections;
using System.Globalization;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;

namespace Pipeline.Etl.Planning;

/// <summary>Settings as texts by path, to compare them and to show what differs.</summary>
internal static class SettingsText
{
    /// <summary>What stands for a secret.</summary>
    public const string Masked = "***";

    /// <summary>Every setting of a block that differs from its default.</summary>
    /// <param name="settings">The block.</param>
    /// <param name="prefix">What its paths begin with.</param>
    /// <param name="except">Keys of it that are left out.</param>
    /// <param name="withSecrets">Whether secrets are given as they are: never to be shown or stored then.</param>
    public static SortedDictionary<string, string> Of(object settings, string prefix, IReadOnlyCollection<string> except, bool withSecrets)
    {
        var texts = new SortedDictionary<string, string>(StringComparer.Ordinal);
        Add(texts, settings, prefix, except, withSecrets);
        return texts;
    }

    /// <summary>What differs, in the order of the paths.</summary>
    public static List<SettingChange> Compare(IReadOnlyDictionary<string, string> old, IReadOnlyDictionary<string, string> now) =>
    [
        .. old.Keys.Union(now.Keys, StringComparer.Ordinal).Order(StringComparer.Ordinal)
            .Where(p => old.GetValueOrDefault(p) != now.GetValueOrDefault(p))
            .Select(p => new SettingChange(p, old.GetValueOrDefault(p), now.GetValueOrDefault(p))),
    ];

    private static void Add(SortedDictionary<string, string> texts, object settings, string prefix, IReadOnlyCollection<string> except, bool withSecrets)
    {
        object defaults = Activator.CreateInstance(settings.GetType())!;
        foreach (SettingProperty setting in SettingsType.Of(settings.GetType()).Properties.Where(s => !except.Contains(s.Key)))
        {
            object? value = setting.Property.GetValue(settings);
            if (value is null) continue;
            bool isSecret = setting.Attribute.Secret && !withSecrets;
            if (isSecret) texts[prefix + setting.Key] = Masked;
            else if (Scalar(value) is { } text)
            {
                if (text != Scalar(setting.Property.GetValue(defaults))) texts[prefix + setting.Key] = text;
            }
            else if (value is IDictionary map)
            {
                foreach (DictionaryEntry entry in map) AddItem(texts, entry.Value!, $"{prefix}{setting.Key}.{entry.Key}", withSecrets);
            }
            else if (value is IEnumerable list)
            {
                object[] items = [.. list.Cast<object>()];
                if (items.All(i => Scalar(i) is not null)) { if (items.Length > 0) texts[prefix + setting.Key] = $"[{string.Join(", ", items.Select(Scalar))}]"; }
                else for (int i = 0; i < items.Length; i++) AddItem(texts, items[i], string.Create(CultureInfo.InvariantCulture, $"{prefix}{setting.Key}[{i}]"), withSecrets);
            }
            else
            {
                Add(texts, value, $"{prefix}{setting.Key}.", [], withSecrets);
            }
        }
    }

    private static void AddItem(SortedDictionary<string, string> texts, object item, string path, bool withSecrets)
    {
        if (Scalar(item) is { } text) texts[path] = text;
        else Add(texts, item, path + ".", [], withSecrets);
    }

    private static string? Scalar(object? value) => value switch
    {
        null => "",
        string s => s,
        bool b => b ? "true" : "false",
        TimeSpan t => Quantities.FormatDuration(t),
        Enum e => EnumText.Of(e.GetType(), e.ToString()),
        Uri u => u.OriginalString,
        ScriptText script => script.Text,
        YamlValue yaml => yaml.ToString(),
        IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
        _ => null,
    };
}
