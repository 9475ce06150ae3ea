namespace Pipeline.Client.Conventions;

/// <summary>Makes a collection's name from a class's name.</summary>
internal static class CollectionNaming
{
    private const string Vowels = "aeiouAEIOU";

    /// <summary>
    /// The plural in English: <c>Order</c> gives <c>Orders</c>, <c>Category</c> gives <c>Categories</c>, <c>Address</c>
    /// gives <c>Addresses</c>.
    /// </summary>
    public static string Of(Type type)
    {
        var name = type.Name;
        var generic = name.IndexOf('`', StringComparison.Ordinal);
        if (generic > 0)
            name = name[..generic];
        if (name.EndsWith('y') && name.Length > 1 && !Vowels.Contains(name[^2], StringComparison.Ordinal))
            return name[..^1] + "ies";
        if (
            name.EndsWith('s')
            || name.EndsWith('x')
            || name.EndsWith('z')
            || name.EndsWith("ch", StringComparison.Ordinal)
            || name.EndsWith("sh", StringComparison.Ordinal)
        )
        {
            return name + "es";
        }

        return name + "s";
    }
}
