using System.Globalization;
using System.Text;
using Pipeline.Etl.Connectors;
using Pipeline.Yaml;
using Pipeline.Yaml.Settings;

namespace Pipeline.Configuration;

/// <summary>
/// The reference of every key of <c>pipeline.yaml</c> as Markdown, made from the <see cref="SettingAttribute"/>s. Tests
/// keep docs/reference/configuration.md equal to it.
/// </summary>
public static class ConfigurationReference
{
    /// <summary>Writes the reference: the file's own keys, then each connector's options.</summary>
    public static string ToMarkdown(ConnectorCatalog catalog)
    {
        var text = new StringBuilder();
        text.Append("| key | value | default | meaning |\n|---|---|---|---|\n");
        AppendRows(text, typeof(PipelineConfiguration), "");
        foreach (var definition in catalog.Definitions)
        {
            text.Append(
                CultureInfo.InvariantCulture,
                $"\n### `{definition.Kind}`\n\n{definition.Summary}\n\n| key | value | default | meaning |\n|---|---|---|---|\n"
            );
            AppendRows(text, definition.OptionsType, "");
        }

        return text.ToString();
    }

    private static void AppendRows(StringBuilder text, Type type, string prefix)
    {
        var defaults = Activator.CreateInstance(type)!;
        foreach (var setting in SettingsType.Of(type).Properties)
        {
            var key = prefix + setting.Key;
            var value =
                setting.Attribute.Required ? "required"
                : setting.Attribute.Secret ? ""
                : Default(setting, setting.Property.GetValue(defaults));
            var help = setting
                .Attribute.Help.Replace("|", "\\|", StringComparison.Ordinal)
                .Replace("<", "&lt;", StringComparison.Ordinal);
            var secret = setting.Attribute.Secret ? " Secret: never printed." : "";
            text.Append(
                CultureInfo.InvariantCulture,
                $"| `{key}` | {ValueOf(setting, setting.Type)}{Bounds(setting)} | {value} | {help}{secret} |\n"
            );
            var item = setting.Type.IsGenericType ? setting.Type.GetGenericArguments()[^1] : null;
            if (item is { IsClass: true } && SettingsType.Of(item).Properties.Count > 0)
            {
                AppendRows(text, item, key + "[].");
            }
            else if (
                setting.Type.IsClass
                && !setting.Type.IsGenericType
                && SettingsType.Of(setting.Type).Properties.Count > 0
            )
            {
                AppendRows(text, setting.Type, key + ".");
            }
        }
    }

    private static string ValueOf(SettingProperty setting, Type type)
    {
        if (type == typeof(ConnectionConfiguration))
            return "one kind of connector";
        if (type == typeof(YamlValue))
            return "any value";
        if (type == typeof(ScriptText))
            return "C#";
        if (type == typeof(string))
            return "text";
        if (type == typeof(bool))
            return "true, false";
        if (type == typeof(TimeSpan))
            return "duration";
        if (type == typeof(Uri))
            return "address";
        if (type == typeof(double))
            return "number";
        if (setting.IsByteSize)
            return "size";
        if (type == typeof(int) || type == typeof(long))
            return "whole number";
        if (type.IsEnum)
            return string.Join(", ", EnumText.Of(type));
        if (type.IsArray)
            return $"list of {ValueOf(setting, type.GetElementType()!)}";
        if (!type.IsGenericType)
            return "mapping";
        var inner = ValueOf(setting, type.GetGenericArguments()[^1]);
        return type.GetGenericArguments().Length == 2 ? $"names to {inner}" : $"list of {inner}";
    }

    private static string Bounds(SettingProperty setting)
    {
        (var low, var high) = (setting.Attribute.Minimum, setting.Attribute.Maximum);
        if (double.IsInfinity(low) && double.IsInfinity(high))
            return "";
        if (double.IsInfinity(high))
            return $", from {Quantities.Format(setting, low)}";
        return double.IsInfinity(low)
            ? $", to {Quantities.Format(setting, high)}"
            : $", {Quantities.Format(setting, low)} to {Quantities.Format(setting, high)}";
    }

    private static string Default(SettingProperty setting, object? value) =>
        value switch
        {
            null or "" => "",
            bool b => b ? "true" : "false",
            TimeSpan t => Quantities.FormatDuration(t),
            Enum e => EnumText.Of(e.GetType(), e.ToString()),
            Uri u => u.OriginalString,
            int or long when setting.IsByteSize => Quantities.FormatBytes(
                Convert.ToInt64(value, CultureInfo.InvariantCulture)
            ),
            string or int or long or double => Convert.ToString(value, CultureInfo.InvariantCulture)!,
            _ => "",
        };
}
