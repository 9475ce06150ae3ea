namespace Pipeline.Client;

/// <summary>Marks the member that holds a document's id. Without it, the member is the one named <c>Id</c>.</summary>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
public sealed class DocumentIdAttribute : Attribute;

/// <summary>Names the collection of a class. Without it, the name is the plural of the class's name.</summary>
/// <param name="name">The collection.</param>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Struct)]
public sealed class CollectionAttribute(string name) : Attribute
{
    /// <summary>The collection.</summary>
    public string Name { get; } = name;
}
