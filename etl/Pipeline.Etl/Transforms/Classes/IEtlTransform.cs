namespace Pipeline.Etl.Transforms;

/// <summary>
/// A transform as a class of the program. A task of the configuration names it (<c>class: OrderMessages</c>); a
/// <see cref="TransformCatalog"/> has it.
/// </summary>
/// <remarks>
/// The task runs one instance on several threads at once. It repeats runs after errors and restarts. So a transform
/// keeps no state and only sends messages. A class for several collections implements the interface once for the
/// documents of each.
/// </remarks>
/// <typeparam name="T">The class of the documents.</typeparam>
public interface IEtlTransform<T>
    where T : class
{
    /// <summary>
    /// Sends the messages of one changed document. What it throws makes the document a dead letter, or what the task's
    /// <c>onError</c> says.
    /// </summary>
    /// <param name="change">The document, and the way to send.</param>
    void Transform(EtlChange<T> change);
}
