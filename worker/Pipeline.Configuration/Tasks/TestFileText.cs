namespace Pipeline.Configuration;

/// <summary>The assumed text of a file of test cases.</summary>
/// <param name="Task">The task that it is of.</param>
/// <param name="Path">The file, as a full path.</param>
/// <param name="Text">The YAML; blank if there are no cases yet.</param>
internal sealed record TestFileText(string Task, string Path, string Text);
