using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Scripting;

namespace Pipeline.Etl.Runner;

/// <summary>One task ready to run.</summary>
/// <param name="Task">Its configuration.</param>
/// <param name="Connection">Where its messages go.</param>
/// <param name="Transform">Its compiled transform.</param>
public sealed record EtlTaskPlan(
    EtlTaskConfiguration Task,
    ConnectionConfiguration Connection,
    TransformScript Transform
);
