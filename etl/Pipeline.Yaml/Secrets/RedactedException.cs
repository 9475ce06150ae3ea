namespace Pipeline.Yaml.Secrets;

/// <summary>Stands for an error whose text held a secret: the text with its trace, the secret masked.</summary>
internal sealed class RedactedException(string text) : Exception(text)
{
    /// <inheritdoc/>
    public override string ToString() => Message;
}
