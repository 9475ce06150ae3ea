namespace Pipeline.Etl.Testing;

/// <summary>Cases cannot be recorded; the message names the place and the mend.</summary>
public sealed class RecordingException : Exception
{
    /// <summary>Makes the error.</summary>
    public RecordingException(string message)
        : base(message)
    {
    }
}
