namespace Pipeline.Documents;

/// <summary>The permanent, unique id of a database; part of each change vector and message id.</summary>
/// <param name="Value">The sixteen bytes as a GUID.</param>
public readonly record struct DatabaseId(Guid Value)
{
    /// <summary>Characters of the text form.</summary>
    public const int TextLength = 22;

    /// <summary>The sixteen bytes in base64 without padding: 22 characters.</summary>
    /// <returns>The text, which may hold <c>+</c> and <c>/</c>.</returns>
    public override string ToString() => Convert.ToBase64String(Value.ToByteArray())[..TextLength];
}
