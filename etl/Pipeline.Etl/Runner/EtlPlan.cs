using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Transforms;
using Pipeline.Scripting;
using Pipeline.Yaml;

namespace Pipeline.Etl.Runner;

/// <summary>Tasks whose transforms are compiled: what an <see cref="EtlHost"/> runs. Immutable.</summary>
public sealed class EtlPlan
{
    /// <summary>Makes a plan of compiled tasks.</summary>
    /// <param name="baseDirectory">The folder that relative paths of connections start at, absolute.</param>
    /// <param name="tasks">The tasks to run.</param>
    public EtlPlan(string baseDirectory, IReadOnlyList<EtlTaskPlan> tasks)
    {
        BaseDirectory = baseDirectory;
        Tasks = tasks;
    }

    /// <summary>The folder that relative paths of connections start at, absolute.</summary>
    public string BaseDirectory { get; }

    /// <summary>The tasks that are not disabled, in the file's order.</summary>
    public IReadOnlyList<EtlTaskPlan> Tasks { get; }

    /// <summary>Compiles every transform, including those of disabled tasks.</summary>
    /// <param name="baseDirectory">The folder that relative paths of connections start at, absolute.</param>
    /// <param name="tasks">The tasks.</param>
    /// <param name="connections">The connections by name; each task's is among them.</param>
    /// <param name="diagnostics">Takes the errors of all transforms; after one, the plan must not be run.</param>
    public static EtlPlan Compile(
        string baseDirectory,
        IEnumerable<EtlTaskConfiguration> tasks,
        IReadOnlyDictionary<string, ConnectionConfiguration> connections,
        List<Diagnostic> diagnostics
    )
    {
        var plans = new List<EtlTaskPlan>();
        foreach (var task in tasks)
        {
            var script = TransformCompiler.Compile(task, diagnostics);
            if (script is not null && !task.Disabled)
                plans.Add(new EtlTaskPlan(task, connections[task.To], script));
        }

        return new EtlPlan(baseDirectory, plans);
    }
}

/// <summary>One task ready to run.</summary>
/// <param name="Task">Its configuration.</param>
/// <param name="Connection">The connection that its messages go to.</param>
/// <param name="Transform">Its compiled transform.</param>
public sealed record EtlTaskPlan(
    EtlTaskConfiguration Task,
    ConnectionConfiguration Connection,
    TransformScript Transform
);
