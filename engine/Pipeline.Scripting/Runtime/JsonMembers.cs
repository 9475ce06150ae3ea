using System.Reflection;
using System.Runtime.CompilerServices;

namespace Pipeline.Scripting.Runtime;

/// <summary>The members of a type that make up its JSON.</summary>
internal sealed class JsonMembers
{
    private static readonly ConditionalWeakTable<Type, JsonMembers> Cache = [];
    private readonly Dictionary<string, MemberInfo> _byName;

    private JsonMembers(Type type)
    {
        All =
        [
            .. type.GetMembers(BindingFlags.Public | BindingFlags.Instance)
                .Where(m =>
                    m is FieldInfo
                    || (
                        m is PropertyInfo { CanRead: true } p
                        && p.GetIndexParameters().Length == 0
                        && p.GetMethod!.IsPublic
                    )
                )
                .OrderBy(m => m.MetadataToken),
        ];
        _byName = new Dictionary<string, MemberInfo>(StringComparer.Ordinal);
        foreach (var member in All)
            _byName.TryAdd(member.Name, member);
    }

    public IReadOnlyList<MemberInfo> All { get; }

    public static JsonMembers Of(Type type) => Cache.GetValue(type, static t => new JsonMembers(t));

    public object? Get(object owner, string name) =>
        _byName.GetValueOrDefault(name) switch
        {
            PropertyInfo p => p.GetValue(owner),
            FieldInfo f => f.GetValue(owner),
            _ => null,
        };
}
