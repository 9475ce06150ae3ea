using System.Globalization;
using Pipeline.Database;
using Pipeline.Yaml.Nodes;
using Pipeline.Yaml.Secrets;
using Pipeline.Yaml.Settings;

namespace Pipeline.Yaml.Binding;

internal sealed partial class SettingsBinder
{
    internal static bool IsScalar(Type type) =>
        type == typeof(string)
        || type == typeof(int)
        || type == typeof(long)
        || type == typeof(double)
        || type == typeof(bool)
        || type == typeof(TimeSpan)
        || type == typeof(Uri)
        || type == typeof(ScriptText)
        || type.IsEnum;

    private object? BindScalar(SettingProperty setting, Type type, ConfigNode node, string path)
    {
        if (node is not ScalarNode scalar)
        {
            Report(node, $"{Named(path)} must be {Expected(setting, type)}, found {node.Describe()}", null);
            return null;
        }

        if (scalar.IsNull)
        {
            Report(node, $"{Named(path)} has no value", $"give it {Expected(setting, type)}, or leave the key out");
            return null;
        }

        if (type == typeof(ScriptText))
            return BindScript(scalar, path);
        var text = _expander.Expand(scalar);
        if (text is null)
        {
            _open[node] = path;
            return null;
        }

        if (text.Contains('\0', StringComparison.Ordinal))
        {
            // No path, name or address has one, and the system's calls end or fail at it.
            Report(node, $"{Named(path)} holds a NUL character", "leave it out");
            return null;
        }

        if (setting.Attribute.Secret && (setting.Type == type || SecretValues.IsSensitive(path)))
            _expander.Values?.Add(text);
        var value = Convert(setting, type, text);
        if (value is null)
        {
            var suggestion = SuggestionFor(setting, type, text, scalar);
            Report(node, $"{Named(path)} must be {Expected(setting, type)}, found {Found(setting, node)}", suggestion);
            return null;
        }

        return WithinBounds(setting, value, node, path) ? value : null;
    }

    private ScriptText? BindScript(ScalarNode scalar, string path)
    {
        if (scalar.IsFolded)
        {
            Report(scalar, $"{path} is written with '>', which joins its lines", "write it with '|'");
            return null;
        }

        return new ScriptText(_file, scalar);
    }

    private static object? Convert(SettingProperty setting, Type type, string text)
    {
        if (type == typeof(string))
            return text;
        if (type == typeof(bool))
        {
            return text switch
            {
                "true" => true,
                "false" => false,
                _ => null,
            };
        }

        if (type == typeof(TimeSpan))
            return Quantities.TryParseDuration(text, out var duration) ? duration : null;
        if (type == typeof(Uri))
            return Uri.TryCreate(text, UriKind.Absolute, out var uri) && !text.StartsWith('/') ? uri : null;
        if (type == typeof(double))
        {
            return
                double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out var number)
                && double.IsFinite(number)
                ? number
                : null;
        }

        if (type.IsEnum)
        {
            return Enum.GetNames(type).FirstOrDefault(n => EnumText.Of(type, n) == text) is { } name
                ? Enum.Parse(type, name)
                : null;
        }

        long integer;
        if (setting.IsByteSize ? !Quantities.TryParseBytes(text, out integer) : !TryParseInteger(text, out integer))
            return null;
        if (type == typeof(long))
            return integer;
        return integer is >= int.MinValue and <= int.MaxValue ? (int)integer : null;
    }

    private static bool TryParseInteger(string text, out long value) =>
        long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out value);

    private bool WithinBounds(SettingProperty setting, object value, ConfigNode node, string path)
    {
        double? number = value switch
        {
            int i => i,
            long l => l,
            double d => d,
            TimeSpan t => t.TotalSeconds,
            _ => null,
        };
        if (number is null || !(number < setting.Attribute.Minimum || number > setting.Attribute.Maximum))
            return true;
        var low = number < setting.Attribute.Minimum;
        var bound = Quantities.Format(setting, low ? setting.Attribute.Minimum : setting.Attribute.Maximum);
        Report(
            node,
            $"{Named(path)} must be {(low ? "at least" : "at most")} {bound}, found {Found(setting, node)}",
            null
        );
        return false;
    }

    private static string Expected(SettingProperty setting, Type type)
    {
        if (setting.IsByteSize)
            return "a size such as 64KiB, 16MiB or a number of bytes";
        if (type == typeof(string))
            return "text";
        if (type == typeof(bool))
            return "true or false";
        if (type == typeof(TimeSpan))
            return "a duration such as 500ms, 5s, 2m or 1h";
        if (type == typeof(Uri))
            return "an address such as http://127.0.0.1:8080";
        if (type == typeof(double))
            return "a number";
        if (type == typeof(ScriptText))
            return "C# statements";
        if (type.IsEnum)
            return "one of " + string.Join(", ", EnumText.Of(type));
        return "a whole number";
    }

    private static string? SuggestionFor(SettingProperty setting, Type type, string text, ScalarNode scalar)
    {
        // A value that came out of a variable is never shown.
        if (setting.Attribute.Secret || scalar.Raw != text)
            return null;
        if (type.IsEnum && Spelling.Nearest(text, EnumText.Of(type)) is { } near)
            return $"did you mean '{near}'?";
        if (type == typeof(TimeSpan) && TryParseInteger(text, out _))
            return $"add a unit: {text}s";
        if (type == typeof(bool) && text.ToUpperInvariant() is "YES" or "ON" or "TRUE")
            return "write true";
        if (type == typeof(bool) && text.ToUpperInvariant() is "NO" or "OFF" or "FALSE")
            return "write false";
        return null;
    }
}
