using Microsoft.Extensions.Logging;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.DeadLetters;
using Pipeline.Etl.Records;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>
/// The parts that a whole task shares: plan, feed, clock, and reports. Thread-safe.
/// </summary>
internal sealed class TaskContext
{
    public TaskContext(EtlTaskPlan plan, IChangeFeed feed, EtlHostOptions options, Action changed)
    {
        (Plan, Feed, Options) = (plan, feed, options);
        Consumer = EtlTaskKeys.ConsumerName(Task.Name);
        Filter = Task.ToFilter();
        FeedFilter = Task.ToFeedFilter();
        Logger = options.Loggers.CreateLogger("Pipeline.Etl." + Task.Name);
        Failures = new FailureLog(Logger, Task, options.Time);
        Progress = new TaskProgress(options.Time, changed);
        Tag = new(EtlTelemetry.TaskTag, Task.Name);
    }

    public EtlTaskPlan Plan { get; }

    public EtlTaskConfiguration Task => Plan.Task;

    public string Name => Task.Name;

    /// <summary>The name under which the database knows the task.</summary>
    public string Consumer { get; }

    public IChangeFeed Feed { get; }

    public EtlHostOptions Options { get; }

    public TimeProvider Time => Options.Time;

    /// <summary>The changes that the transform takes.</summary>
    public CursorFilter Filter { get; }

    /// <summary>The changes that the task reads. With <c>dependsOn: load</c> these are all changes.</summary>
    public CursorFilter FeedFilter { get; }

    /// <summary>Whether a parked change holds later changes of its key.</summary>
    public bool HoldsKeys => Task.OnError == ErrorPolicy.ParkKey;

    /// <summary>Whether a change of a loaded document resends the documents that loaded it.</summary>
    public bool FollowsLoads => Task.DependsOn == DependencyPolicy.Load;

    public ILogger Logger { get; }

    public TaskProgress Progress { get; }

    public FailureLog Failures { get; }

    /// <summary>The tag of the task's measurements.</summary>
    public KeyValuePair<string, object?> Tag { get; }

    /// <summary>The tag of a kind of failure.</summary>
    public static KeyValuePair<string, object?> TagOf(FailureClass failure) =>
        new(EtlTelemetry.ClassTag, FailureClassText.Of(failure));
}
