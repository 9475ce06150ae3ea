namespace Pipeline.Yaml;

/// <summary>
/// A configuration file cannot be used. Holds every fault found, in the order of their places; its message is all of
/// them, one a line.
/// </summary>
public sealed class ConfigurationException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="diagnostics">The faults; at least one.</param>
    /// <param name="innerException">The error behind the first fault, if any.</param>
    public ConfigurationException(IReadOnlyList<Diagnostic> diagnostics, Exception? innerException = null)
        : base(string.Join(Environment.NewLine, diagnostics), innerException)
    {
        Diagnostics = diagnostics;
    }

    /// <summary>Every fault found, in the order of their places.</summary>
    public IReadOnlyList<Diagnostic> Diagnostics { get; }
}
