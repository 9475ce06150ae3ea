namespace Pipeline.Database.Indexes;

/// <summary>A field of an automatic index.</summary>
/// <param name="Path">Where it is in a document: <c>Company</c>, <c>ShipTo.City</c>, <c>Lines[].Product</c>. It is the field's name too.</param>
/// <param name="Usage">What queries have done with it.</param>
public sealed record AutoIndexField(string Path, AutoFieldUsage Usage = AutoFieldUsage.Default)
{
    /// <summary>The field that holds the words of a path: <c>search(Path)</c>.</summary>
    public string SearchName => $"search({Path})";

    /// <summary>The field that holds the values as they are: <c>exact(Path)</c>.</summary>
    public string ExactName => $"exact({Path})";

    internal IEnumerable<string> NameParts()
    {
        string path = Path.Replace("[].", "_", StringComparison.Ordinal).Replace('.', '_');
        yield return path;
        if (Usage.HasFlag(AutoFieldUsage.Search)) yield return $"Search({path})";
        if (Usage.HasFlag(AutoFieldUsage.Exact)) yield return $"Exact({path})";
    }
}
