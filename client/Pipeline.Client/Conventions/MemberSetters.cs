using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Text.Json.Serialization.Metadata;

namespace Pipeline.Client.Conventions;

/// <summary>
/// Lets the serializer load the members that it stores. It writes properties that have a private setter or none, but
/// does not read them. A document would lose their values when its object is saved again.
/// </summary>
internal static class MemberSetters
{
    /// <summary>Adds the missing setters to the contract of a class.</summary>
    [UnconditionalSuppressMessage(
        "Trimming",
        "IL2075",
        Justification = "Is used only with the resolver that needs reflection itself. A field that was trimmed is left as it was."
    )]
    public static void Complete(JsonTypeInfo contract)
    {
        if (contract.Kind != JsonTypeInfoKind.Object || contract.Type.Assembly == typeof(object).Assembly)
            return;
        foreach (var property in contract.Properties)
        {
            if (
                property
                is not { Get: not null, Set: null, AttributeProvider: PropertyInfo { DeclaringType: { } owner } member }
            )
            {
                continue;
            }

            if (member.SetMethod is not null)
            {
                property.Set = member.SetValue;
            }
            else if (
                !IsGivenToConstructor(contract.Type, member.Name)
                && owner.GetField($"<{member.Name}>k__BackingField", BindingFlags.Instance | BindingFlags.NonPublic)
                    is { } field
            )
            {
                property.Set = field.SetValue;
            }
        }
    }

    /// <summary>
    /// Whether a constructor takes the value. The property is then set when the object is made, and never after.
    /// </summary>
    [UnconditionalSuppressMessage(
        "Trimming",
        "IL2070",
        Justification = "As above: a constructor that was trimmed is not called."
    )]
    private static bool IsGivenToConstructor(Type type, string member) =>
        type.GetConstructors(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)
            .Any(c => c.GetParameters().Any(p => string.Equals(p.Name, member, StringComparison.OrdinalIgnoreCase)));
}
