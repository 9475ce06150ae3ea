using System.Reflection;
using System.Runtime.CompilerServices;

namespace Pipeline.Scripting.Runtime;

/// <summary>
/// Writes a map's result as fields: an object's members, a dictionary's entries, or a single value, which a group key
/// may be.
/// </summary>
internal static class EntryFields<T>
{
    private static readonly Member[]? Members = Create();

    public static void Write(IndexEntryWriter writer, T owner)
    {
        if (Members is { } members)
        {
            var fields = writer.Fields(typeof(T), members);
            for (var i = 0; i < members.Length; i++)
            {
                writer.Current = fields[i];
                members[i].Write(writer, owner);
            }
        }
        else if (owner is IEnumerable<KeyValuePair<string, object?>> entries)
        {
            foreach (var (name, value) in entries)
                writer.Dynamic(new CreatedField(name, value, null));
        }
        else if (owner is IEnumerable<KeyValuePair<string, ScriptValue?>> values)
        {
            foreach (var (name, value) in values)
                writer.Dynamic(new CreatedField(name, value, null));
        }
        else
        {
            writer.Current = writer.Only;
            EntryTypeWriter<T>.Instance.Write(writer, owner);
        }
    }

    private static Member[]? Create()
    {
        if (!typeof(T).IsDefined(typeof(CompilerGeneratedAttribute), inherit: false))
            return null;
        return
        [
            .. JsonMembers
                .Of(typeof(T))
                .All.OfType<PropertyInfo>()
                .Select(p =>
                    (Member)Activator.CreateInstance(typeof(Member<>).MakeGenericType(typeof(T), p.PropertyType), p)!
                ),
        ];
    }

    internal abstract class Member(string name) : IEntryMember
    {
        public string Name => name;

        public abstract void Write(IndexEntryWriter writer, T owner);
    }

    private sealed class Member<TMember>(PropertyInfo property) : Member(property.Name)
    {
        private readonly Func<T, TMember> _get = property.GetMethod!.CreateDelegate<Func<T, TMember>>();

        public override void Write(IndexEntryWriter writer, T owner) =>
            EntryTypeWriter<TMember>.Instance.Write(writer, _get(owner));
    }
}

/// <summary>A member of a map's result.</summary>
internal interface IEntryMember
{
    string Name { get; }
}
