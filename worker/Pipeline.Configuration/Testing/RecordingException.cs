namespace Pipeline.Configuration.Testing;

/// <summary>Cases cannot be recorded. The message gives the place and how to fix it.</summary>
public sealed class RecordingException : Exception
{
    /// <summary>Makes the error.</summary>
    public RecordingException(string message)
        : base(message) { }
}
