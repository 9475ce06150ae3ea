using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Text.Json.Serialization.Metadata;

namespace Pipeline.Client.Conventions;

/// <summary>
/// Lets the serializer load what it stores: it writes properties with a private setter, and those without one, but does not read them. A document would lose their values
/// when its object is saved again.
/// </summary>
internal static class MemberSetters
{
    /// <summary>Adds the missing setters to the contract of a class.</summary>
    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = "Is used only with the resolver that needs reflection itself. A field that was trimmed is left as it was.")]
    public static void Complete(JsonTypeInfo contract)
    {
        if (contract.Kind != JsonTypeInfoKind.Object || contract.Type.Assembly == typeof(object).Assembly)
            return;
        foreach (var property in contract.Properties)
        {
            if (property is not { Get: not null, Set: null, AttributeProvider: PropertyInfo { DeclaringType: { } owner } member })
                continue;
            if (member.SetMethod is not null)
                property.Set = member.SetValue;
            else if (owner.GetField($"<{member.Name}>k__BackingField", BindingFlags.Instance | BindingFlags.NonPublic) is { } field)
                property.Set = field.SetValue;
        }
    }
}
