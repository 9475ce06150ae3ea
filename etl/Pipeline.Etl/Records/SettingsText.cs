using System.Collections;
using System.Globalization;
using System.Text.Json;
using Pipeline.Yaml;
using Pipeline.Yaml.Secrets;
using Pipeline.Yaml.Settings;

namespace Pipeline.Etl.Records;

/// <summary>Settings as texts by path, to compare them and to show what differs.</summary>
internal static class SettingsText
{
    /// <summary>Every setting of a block that differs from its default, or every setting.</summary>
    /// <param name="settings">The block.</param>
    /// <param name="prefix">The prefix of its paths.</param>
    /// <param name="except">Keys of the block to leave out.</param>
    /// <param name="secrets">
    /// Values to mask, in addition to settings that are marked as secret. Scripts contain no variables and are returned
    /// unmasked.
    /// </param>
    /// <param name="includesDefaults">Whether settings with their default values are included.</param>
    public static SortedDictionary<string, SettingText> Of(
        object settings,
        string prefix,
        IReadOnlyCollection<string> except,
        SecretValues secrets,
        bool includesDefaults = false
    )
    {
        var texts = new SortedDictionary<string, SettingText>(StringComparer.Ordinal);
        Add(texts, settings, prefix, except, secrets, isSecret: false, includesDefaults);
        return texts;
    }

    /// <summary>
    /// The differences, in the order of the paths. Secrets are compared but do not appear in the result.
    /// </summary>
    /// <param name="old">The current settings.</param>
    /// <param name="now">The new settings.</param>
    /// <param name="hide">Masks secrets of one side that the other side contains in plain text.</param>
    public static List<SettingChange> Compare(
        IReadOnlyDictionary<string, SettingText> old,
        IReadOnlyDictionary<string, SettingText> now,
        Func<string, string> hide
    ) => Compare(old, now, (a, b) => a.Text == b.Text, t => t.Shown, hide);

    /// <inheritdoc cref="Compare(IReadOnlyDictionary{string, SettingText}, IReadOnlyDictionary{string, SettingText}, Func{string, string})"/>
    public static List<SettingChange> Compare<T>(
        IReadOnlyDictionary<string, T> old,
        IReadOnlyDictionary<string, T> now,
        Func<T, T, bool> isSame,
        Func<T, string> shown,
        Func<string, string> hide
    ) =>
        [
            .. old
                .Keys.Union(now.Keys, StringComparer.Ordinal)
                .Order(StringComparer.Ordinal)
                .Where(p => !(old.TryGetValue(p, out var a) && now.TryGetValue(p, out var b) && isSame(a, b)))
                .Select(p =>
                    Change(
                        p,
                        old.TryGetValue(p, out var a) ? hide(shown(a)) : null,
                        now.TryGetValue(p, out var b) ? hide(shown(b)) : null
                    )
                ),
        ];

    private static SettingChange Change(string path, string? old, string? now) =>
        new(path, old, old == now ? now + " (changed)" : now);

    private static void Add(
        SortedDictionary<string, SettingText> texts,
        object settings,
        string prefix,
        IReadOnlyCollection<string> except,
        SecretValues secrets,
        bool isSecret,
        bool includesDefaults
    )
    {
        var defaults = Activator.CreateInstance(settings.GetType())!;
        foreach (var setting in SettingsType.Of(settings.GetType()).Properties.Where(s => !except.Contains(s.Key)))
        {
            var value = setting.Property.GetValue(settings);
            if (value is null)
                continue;
            var path = prefix + setting.Key;
            var hides = isSecret || setting.Attribute.Secret;
            if (Scalar(value) is { } text)
            {
                if (includesDefaults || text != Scalar(setting.Property.GetValue(defaults)))
                    texts[path] = new SettingText(text, Shown(value, secrets, hides));
            }
            else if (value is IDictionary map)
            {
                foreach (DictionaryEntry entry in map)
                    AddItem(texts, entry.Value!, $"{path}.{entry.Key}", secrets, hides, includesDefaults);
            }
            else if (value is IEnumerable list)
            {
                object[] items = [.. list.Cast<object>()];
                if (items.All(i => Scalar(i) is not null))
                {
                    if (items.Length > 0)
                    {
                        texts[path] = new SettingText(
                            Join(items.Select(i => Scalar(i)!)),
                            hides ? SecretValues.Mask : Join(items.Select(i => Shown(i, secrets, hides)))
                        );
                    }
                }
                else
                {
                    for (var i = 0; i < items.Length; i++)
                    {
                        AddItem(
                            texts,
                            items[i],
                            string.Create(CultureInfo.InvariantCulture, $"{path}[{i}]"),
                            secrets,
                            hides,
                            includesDefaults
                        );
                    }
                }
            }
            else
            {
                Add(texts, value, path + ".", [], secrets, hides, includesDefaults);
            }
        }
    }

    private static void AddItem(
        SortedDictionary<string, SettingText> texts,
        object item,
        string path,
        SecretValues secrets,
        bool isSecret,
        bool includesDefaults
    )
    {
        if (Scalar(item) is { } text)
            texts[path] = new SettingText(text, Shown(item, secrets, isSecret));
        else
            Add(texts, item, path + ".", [], secrets, isSecret, includesDefaults);
    }

    private static string Shown(object value, SecretValues secrets, bool isSecret) =>
        isSecret ? SecretValues.Mask
        : value is ScriptText or YamlValue ? Scalar(value)!
        : secrets.Hide(Scalar(value)!);

    private static string Join(IEnumerable<string> items) =>
        $"[{string.Join(", ", items.Select(i => i.Length == 0 || i.AsSpan().ContainsAny(",[]\"") || i.Trim() != i ? JsonSerializer.Serialize(i) : i))}]";

    private static string? Scalar(object? value) =>
        value switch
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
