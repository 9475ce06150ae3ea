using System.Reflection;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Pipeline.Yaml.Settings;

/// <summary>
/// How the values of an enum are written in a file: in camelCase, unless
/// <see cref="JsonStringEnumMemberNameAttribute"/> says otherwise.
/// </summary>
internal static class EnumText
{
    /// <summary>All of them, in the enum's order.</summary>
    public static IEnumerable<string> Of(Type type) => Enum.GetNames(type).Select(n => Of(type, n));

    /// <summary>One, by its name in C#.</summary>
    public static string Of(Type type, string name) =>
        type.GetField(name)?.GetCustomAttribute<JsonStringEnumMemberNameAttribute>()?.Name
        ?? JsonNamingPolicy.CamelCase.ConvertName(name);
}
