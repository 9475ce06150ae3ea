using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;

namespace Pipeline.Hosting.Tasks;

/// <summary>A task's transform as it runs now.</summary>
/// <param name="Task">The task.</param>
/// <param name="From">The collections that it reads.</param>
/// <param name="Connection">The connection that it sends to.</param>
/// <param name="Kind">The connection's kind.</param>
/// <param name="Language"><c>csharp</c> or <c>javascript</c>.</param>
/// <param name="Class">The program's class if the transform is not a script; otherwise <see langword="null"/>.</param>
/// <param name="Script">The script; empty for a class.</param>
/// <param name="File">The file that the script is in.</param>
/// <param name="Lines">The line in the file of each line of the script.</param>
/// <param name="Version">The version of the script and its helpers, as dead letters name it.</param>
/// <param name="Tests">How many test cases the file has for the task.</param>
internal sealed record TransformView(
    string Task,
    IReadOnlyList<string> From,
    string Connection,
    string Kind,
    string Language,
    string? Class,
    string Script,
    string File,
    IReadOnlyList<int> Lines,
    string Version,
    int Tests
)
{
    /// <summary>The view of a task's transform.</summary>
    public static TransformView Of(EtlTaskConfiguration task, ConnectionConfiguration connection)
    {
        var lines = task.Class is null ? task.Transform.Text.TrimEnd().Split('\n').Length : 0;
        return new TransformView(
            task.Name,
            task.From,
            task.To,
            connection.Definition.Kind,
            task.Language == ScriptLanguage.JavaScript ? "javascript" : "csharp",
            task.Class,
            task.Transform.Text,
            Path.GetFileName(task.Class is null ? task.Transform.File : task.ClassPlace.File),
            [.. Enumerable.Range(1, lines).Select(line => task.Transform.Locate(line, 1).Line)],
            task.ScriptVersion,
            task.Tests.Count
        );
    }
}
