namespace Pipeline.Configuration.Testing;

/// <summary>What a recording made.</summary>
/// <param name="Cases">How many cases were written.</param>
/// <param name="Known">How many were left out because a case of that name exists already.</param>
/// <param name="File">The file that they were written to.</param>
public sealed record RecordedCases(int Cases, int Known, string File);

/// <summary>A test case that was made from a document.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Write">Gives its YAML, an item of a list without indentation; called if the name is new.</param>
internal sealed record RecordedCase(string Name, Func<string> Write);

/// <summary>Cases cannot be recorded. The message gives the place and how to fix it.</summary>
public sealed class RecordingException : Exception
{
    /// <summary>Makes the error.</summary>
    public RecordingException(string message)
        : base(message) { }
}
