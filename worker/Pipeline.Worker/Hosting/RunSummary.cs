namespace Pipeline.Worker.Hosting;

/// <summary>What a run did, as <c>pipeline run --once</c> prints it.</summary>
/// <param name="Database">The database's name.</param>
/// <param name="Position">The position of the database that every task had to reach.</param>
/// <param name="Documents">The live documents in the database.</param>
/// <param name="Imported">Documents imported at the start of this run.</param>
/// <param name="Elapsed">From the opening of the database to the end.</param>
/// <param name="Tasks">Each task, in the configuration's order.</param>
public sealed record RunSummary(
    string Database, long Position, long Documents, long Imported, TimeSpan Elapsed, IReadOnlyList<TaskReport> Tasks)
{
    /// <summary>Whether every task reached the position and no document was put aside.</summary>
    public bool Succeeded => Tasks.All(t => !t.IsFailed && t.DeadLetters == 0 && t.Position >= Position);
}
