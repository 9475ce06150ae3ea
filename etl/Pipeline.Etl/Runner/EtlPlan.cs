using Pipeline.Etl.Configuration;
using Pipeline.Etl.Transforms;
using Pipeline.Yaml.Files;

namespace Pipeline.Etl.Runner;

/// <summary>A configuration whose transforms are compiled: what an <see cref="EtlHost"/> runs. Immutable.</summary>
public sealed class EtlPlan
{
    private EtlPlan(PipelineConfiguration configuration, IReadOnlyList<EtlTaskPlan> tasks)
    {
        Configuration = configuration;
        Tasks = tasks;
    }

    /// <summary>The configuration.</summary>
    public PipelineConfiguration Configuration { get; }

    /// <summary>The tasks that are not disabled, in the file's order.</summary>
    public IReadOnlyList<EtlTaskPlan> Tasks { get; }

    /// <summary>Compiles every transform, those of disabled tasks too.</summary>
    /// <param name="configuration">The configuration.</param>
    /// <param name="transforms">The transforms that are classes of this program.</param>
    /// <exception cref="ConfigurationException">
    /// One does not compile or is missing; all errors of all of them are in it.
    /// </exception>
    public static EtlPlan Create(PipelineConfiguration configuration, TransformCatalog? transforms = null)
    {
        ArgumentNullException.ThrowIfNull(configuration);
        configuration.Use(transforms);
        var diagnostics = new List<Diagnostic>();
        var tasks = new List<EtlTaskPlan>();
        foreach (var index in configuration.Indexes)
            IndexCheck.Compile(index, diagnostics);
        foreach (var task in configuration.Etl)
        {
            var script = TransformCompiler.Compile(task, diagnostics);
            if (script is not null && !task.Disabled)
                tasks.Add(new EtlTaskPlan(task, configuration.Connections[task.To], script));
        }

        if (diagnostics.Count > 0)
            throw new ConfigurationException(ConfigurationFile.Order(diagnostics));
        return new EtlPlan(configuration, tasks);
    }
}
