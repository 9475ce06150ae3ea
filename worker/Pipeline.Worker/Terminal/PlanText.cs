using System.Globalization;
using Pipeline.Configuration.Planning;

namespace Pipeline.Worker.Terminal;

/// <summary>Writes a plan for people: a sign before each thing, and what differs below it.</summary>
internal static class PlanText
{
    private const int MaxValue = 100;

    /// <summary>Writes it.</summary>
    /// <param name="plan">The plan.</param>
    /// <param name="output">Where to.</param>
    /// <param name="done">Whether it was applied already.</param>
    public static void Write(PipelineChangePlan plan, TextWriter output, bool done)
    {
        foreach (var task in plan.Tasks)
            Write(task, output, done);
        foreach (var index in plan.Indexes)
            Write("index", index, output);
        foreach (var subscription in plan.Subscriptions)
            Write("subscription", subscription, output);
        foreach (var backup in plan.Backups)
            Write("backup", backup, output);
        foreach (var change in plan.Settings)
            output.WriteLine($"~ {change.Path}: {Short(change.Old)} → {Short(change.New)}");
        foreach (var change in plan.NeedsRestart)
        {
            output.WriteLine(
                $"! {change.Path} takes effect when the worker restarts: {Short(change.Old)} → {Short(change.New)}"
            );
        }

        var count =
            plan.Tasks.Count(t => t.Kind != TaskChangeKind.Unchanged)
            + plan.Indexes.Concat(plan.Subscriptions)
                .Concat(plan.Backups)
                .Count(o => o.Kind is "added" or "changed" or "removed")
            + plan.Settings.Count;
        output.WriteLine(
            plan.IsEmpty
                ? "nothing to change"
                : string.Create(
                    CultureInfo.InvariantCulture,
                    $"{count} {(done ? "changed" : "to change")}, {plan.Tasks.Count(t => t.Kind == TaskChangeKind.Unchanged)} tasks {(done ? "went" : "go")} on undisturbed"
                )
        );
    }

    private static void Write(TaskChange task, TextWriter output, bool done)
    {
        var waiting = string.Create(CultureInfo.InvariantCulture, $"about {task.Waiting:N0} changes wait");
        var position = string.Create(CultureInfo.InvariantCulture, $"{task.Position}");
        var letters =
            task.DeadLetters == 0
                ? ""
                : string.Create(CultureInfo.InvariantCulture, $", {task.DeadLetters:N0} dead letters");
        output.WriteLine(
            task.Kind switch
            {
                TaskChangeKind.Added when task.Position > 0 =>
                    $"+ task {task.Name}: continues at its former position {position}; {waiting}{letters}",
                TaskChangeKind.Added => $"+ task {task.Name}: begins at the beginning; {waiting}",
                TaskChangeKind.Changed => $"~ task {task.Name}: keeps position {position}; {waiting}{letters}",
                TaskChangeKind.Removed =>
                    $"- task {task.Name}: {(done ? "stopped" : "stops")}; position {position} stays known{letters}; "
                        + (
                            task.KeepsRegistration
                                ? string.Create(
                                    CultureInfo.InvariantCulture,
                                    $"it stays registered, {task.HeldTombstones:N0} tombstones are kept for it"
                                )
                                : string.Create(
                                    CultureInfo.InvariantCulture,
                                    $"its registration {(done ? "was" : "is")} removed, for which {task.HeldTombstones:N0} tombstones {(done ? "were" : "are")} kept: deletions until it is added again may be lost to it{(done ? "" : " (apply --keep keeps it)")}"
                                )
                        ),
                _ => $"  task {task.Name}: unchanged, position {position}",
            }
        );
        foreach (var change in task.Settings)
        {
            if (change.Path == "transform" || change.Path.StartsWith("helpers.", StringComparison.Ordinal))
                output.WriteLine($"    {change.Path}: changed");
            else
                output.WriteLine($"    {change.Path}: {Short(change.Old)} → {Short(change.New)}");
        }
        foreach (var path in task.NotCompared)
        {
            output.WriteLine(
                $"    {path}: not compared, because its secret was not read (--run-commands runs secrets.command)"
            );
        }

        if (task.Tried == 0)
            return;
        output.WriteLine(
            task.Kind == TaskChangeKind.Added
                ? string.Create(CultureInfo.InvariantCulture, $"    tried on {task.Tried:N0} documents:")
            : task.OldProblem is { } problem
                ? string.Create(
                    CultureInfo.InvariantCulture,
                    $"    tried on {task.Tried:N0} documents; their earlier messages are unknown: {problem}"
                )
            : string.Create(
                CultureInfo.InvariantCulture,
                $"    tried on {task.Tried:N0} documents: {task.Different:N0} give different messages"
            )
        );
        foreach (var sample in task.Samples.Where(s => s.Old is null || s.Difference.Count > 0))
        {
            output.WriteLine($"    {sample.DocumentId}:");
            foreach (
                var line in sample.Difference.Count > 0
                    ? sample.Difference
                    : [.. sample.New.Split('\n').Select(l => "  " + l)]
            )
            {
                output.WriteLine("      " + line);
            }
        }
    }

    private static void Write(string what, ObjectChange change, TextWriter output)
    {
        var sign = change.Kind switch
        {
            "added" => '+',
            "changed" => '~',
            "removed" => '-',
            _ => ' ',
        };
        output.WriteLine(
            $"{sign} {what} {change.Name}: {change.Kind}{(change.Note.Length == 0 ? "" : ", " + change.Note)}"
        );
    }

    private static string Short(string? text) =>
        text is null ? "(default)"
        : text.Length <= MaxValue ? text.ReplaceLineEndings(" ")
        : string.Concat(text.AsSpan(0, MaxValue).ToString().ReplaceLineEndings(" "), "…");
}
