namespace Pipeline.Configuration.Testing;

/// <summary>A test case that was made from a document.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Write">Gives its YAML, an item of a list without indentation; called if the name is new.</param>
internal sealed record RecordedCase(string Name, Func<string> Write);
